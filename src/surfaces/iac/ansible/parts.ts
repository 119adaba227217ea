/** What people choose from: the roles and the playbooks of the collection. */
import type { OpenApiDocument } from '../../openapi/model.ts';
import type { IacModel } from '../model.ts';
import type { Part } from '../parts.ts';
import { detailsOf } from './details.ts';
import { usablePlaybooks } from './playbooks.ts';
import { rolePermissions } from './readme.ts';

export function ansibleParts(model: IacModel, document: OpenApiDocument): Part[] {
  const tool = 'ansible';
  const archive = null;
  const roles = model.resources.map((resource): Part => {
    const { name, title, description: text } = resource;
    const permissions = rolePermissions(resource, detailsOf(resource, document));
    return { tool, kind: 'role', name, title, text, path: `ansible/roles/${name}`, archive, permissions };
  });
  const playbooks = usablePlaybooks(model).map(({ name, uses, text: code }): Part => {
    const needed = roles.filter((role) => uses.includes(role.name)).flatMap((role) => role.permissions);
    // The first line of a playbook says what it does.
    const [, title = name] = /^- name: (.*)$/m.exec(code) ?? [];
    return {
      tool,
      kind: 'scenario',
      name,
      title,
      text: `Uses the roles ${uses.join(', ')}.`,
      path: `ansible/playbooks/${name}.yml`,
      archive,
      permissions: [...new Set(needed)].sort(),
    };
  });
  return [...playbooks, ...roles];
}
