export type Tone = 'good' | 'warn' | 'bad' | 'info' | 'plain';
