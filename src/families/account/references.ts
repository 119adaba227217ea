/** The members of requests that name something of the account. Each says which list has the valid values. */
const rows = (list: string) => ({ list, value: 'id', label: 'name' });

export const API_KEYS = rows('listApiKeys');
export const MEMBERS = rows('listMembers');
export const RESOURCES = rows('listResources');
export const OPERATIONS = { list: 'listOperations', value: 'id', label: 'type' };
export const EVENTS = { list: 'listEvents', value: 'id', label: 'type' };
