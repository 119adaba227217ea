/** The members of requests that name something of this family. Each says which list has the valid values. */
import { Ref } from '../../kernel/reference.ts';
import { Id } from '../../kernel/schema.ts';

export const AddressRef = Ref(Id('ip'), { list: 'listAddresses', value: 'id', label: 'name' });
