/**
 * PostgreSQL settings for a small machine that the database shares with Hostplane. They are passed on the
 * command line, so that a new version of Hostplane also changes them for existing clusters.
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
  // Backends read from the disk themselves instead of through three more I/O worker processes.
  io_method: 'sync',
  jit: 'off',
  // The default is meant for disks that turn. With it, a list of a small account with a label selector may read the
  // label index of all accounts instead of its own machines.
  random_page_cost: '1.1',
  timezone: 'UTC',
  log_timezone: 'UTC',
  // The caller reports errors of statements; here they would only make the log grow.
  log_min_messages: 'log',
  log_checkpoints: 'off',
};
