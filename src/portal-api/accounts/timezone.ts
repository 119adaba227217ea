/** Whether the name is one of the time zones that this computer knows. */
export function isTimezone(name: string): boolean {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }).format() !== '';
  } catch {
    return false;
  }
}

export const TIMEZONE_FAULT = {
  pointer: '/timezone',
  code: 'invalid_format',
  detail: 'Must be a name such as Europe/Berlin.',
} as const;
