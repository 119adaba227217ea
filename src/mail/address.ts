const ADDRESS = /^[^\s@<>()[\],;:"\\\p{Cc}\p{Cf}]+@[^\s@<>()[\],;:"\\\p{Cc}\p{Cf}]+$/u;
const LONGEST = 254;

/** Whether the text is exactly one address, without anything that a mail program would read as more than that. */
export const isMailAddress = (text: string): boolean => text.length <= LONGEST && ADDRESS.test(text);
