/**
 * The types of the operations that take connections from machines and stand in folders above this one. The kinds take
 * their types from here, so that a check of what a machine has left can recognise them.
 */
export const ATTACH_PUBLIC_IP = 'public_ip.attach';
export const DETACH_PUBLIC_IP = 'public_ip.detach';
export const DELETE_NETWORK = 'network.delete';
