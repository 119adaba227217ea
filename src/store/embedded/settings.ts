/**
 * Small on purpose: the database and our own process share one modest machine. Given on the command line, so
 * that a new version of Hostplane changes them for clusters that exist already.
 */
export const MODEST: Record<string, string> = {
  max_connections: '60',
  shared_buffers: '24MB',
  work_mem: '4MB',
  maintenance_work_mem: '32MB',
  max_wal_size: '256MB',
  max_wal_senders: '0',
  max_logical_replication_workers: '0',
  max_worker_processes: '4',
  // Reads wait for the disk themselves instead of through three more processes.
  io_method: 'sync',
  jit: 'off',
  timezone: 'UTC',
  log_timezone: 'UTC',
  // Errors of statements are the caller's to report; here they would only make the log grow.
  log_min_messages: 'log',
  log_checkpoints: 'off',
};
