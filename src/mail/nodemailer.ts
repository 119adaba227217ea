/** Loaded with the first mail: it would take megabytes of every process. */
export const loadNodemailer = () => import('nodemailer');
