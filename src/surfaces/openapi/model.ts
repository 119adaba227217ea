/** Types for the subset of OpenAPI 3.1 that the document uses. */
import type { Access, ResourceRole } from '../../kernel/record.ts';

export interface Reference {
  readonly $ref: string;
}

export interface JsonSchema {
  readonly [keyword: string]: unknown;
}

export interface Header {
  readonly description: string;
  /** Headers whose value is JSON have `content` instead. */
  readonly schema?: JsonSchema;
  readonly content?: Readonly<Record<string, MediaType>>;
  readonly example?: unknown;
}

export interface Parameter {
  readonly name: string;
  readonly in: 'path' | 'query' | 'header';
  readonly description: string;
  /** Absent if it is not required. */
  readonly required?: true;
  readonly style?: 'form';
  readonly explode?: boolean;
  readonly schema: JsonSchema;
  readonly example?: unknown;
}

export interface Example {
  readonly value: unknown;
}

export interface MediaType {
  readonly schema: JsonSchema;
  readonly example?: unknown;
  readonly examples?: Readonly<Record<string, Reference>>;
}

export interface Response {
  readonly description: string;
  readonly headers?: Readonly<Record<string, Reference>>;
  readonly content?: Readonly<Record<string, MediaType>>;
  readonly 'x-problem-codes'?: readonly string[];
}

/** How to find the resource that the operation is about; `docs/specification.md` explains each member. */
export interface ResourceMark {
  readonly name: string;
  readonly role: ResourceRole;
  readonly parameter?: string;
  readonly parent?: { readonly name: string; readonly parameter: string };
  readonly key?: string;
  readonly read?: { readonly operation: string; readonly in?: string; readonly filter?: string };
}

export type CostMark = 'raises' | 'lowers' | 'either';

export interface Operation {
  readonly operationId: string;
  readonly summary: string;
  readonly description: string;
  readonly tags: readonly string[];
  readonly parameters: readonly (Parameter | Reference)[];
  readonly requestBody?: {
    readonly description?: string;
    readonly required: boolean;
    readonly content: Readonly<Record<string, MediaType>>;
  };
  readonly responses: Readonly<Record<string, Response | Reference>>;
  /** The codes that not every operation can answer with. */
  readonly 'x-problem-codes': readonly string[];
  readonly 'x-permission': string;
  readonly 'x-access': Access;
  /** Absent if it is not sensitive. */
  readonly 'x-sensitive'?: true;
  /** Absent if no request can loosen a protection. A dry run says whether one does. */
  readonly 'x-may-loosen'?: true;
  readonly 'x-operation'?: {
    readonly kind: string;
    readonly typical_seconds: number;
    readonly cancellable: boolean;
    /** Present if only some requests start the operation. */
    readonly sometimes?: true;
  };
  readonly 'x-resource': ResourceMark;
  readonly 'x-cost'?: CostMark;
}

/** A message that the service sends to the URL of a webhook. */
export interface Webhook {
  readonly post: Pick<Operation, 'operationId' | 'summary' | 'description' | 'tags'> & {
    readonly security: readonly [];
    readonly parameters: readonly Reference[];
    readonly requestBody: NonNullable<Operation['requestBody']>;
    readonly responses: Readonly<Record<string, Reference>>;
  };
}

export type Verb = 'get' | 'post' | 'put' | 'patch' | 'delete';
export type PathItem = Readonly<Partial<Record<Verb, Operation>>>;

export interface Components {
  readonly schemas: Readonly<Record<string, JsonSchema>>;
  readonly responses: Readonly<Record<string, Response>>;
  readonly examples: Readonly<Record<string, Example>>;
  readonly parameters: Readonly<Record<string, Parameter>>;
  readonly headers: Readonly<Record<string, Header>>;
  readonly securitySchemes: Readonly<Record<string, JsonSchema>>;
}

export interface OpenApiDocument {
  readonly openapi: '3.1.0';
  readonly info: {
    readonly title: string;
    readonly version: string;
    readonly description: string;
    readonly termsOfService?: string;
    readonly license: { readonly name: string; readonly identifier: string };
    readonly contact?: { readonly name: string; readonly email: string };
  };
  readonly externalDocs: { readonly description: string; readonly url: string };
  readonly servers: readonly { readonly url: string }[];
  readonly security: readonly Readonly<Record<string, readonly string[]>>[];
  readonly tags: readonly {
    readonly name: string;
    readonly 'x-displayName': string;
    readonly description: string;
  }[];
  /** The tags of each family. Redoc and Scalar show tags in these groups. */
  readonly 'x-tagGroups': readonly {
    readonly name: string;
    readonly description: string;
    readonly tags: readonly string[];
  }[];
  readonly paths: Readonly<Record<string, PathItem>>;
  readonly webhooks: Readonly<Record<string, Webhook>>;
  readonly components: Components;
  /** The headers of every answer, which no response repeats. */
  readonly 'x-common-headers': Readonly<Record<string, Reference | Header>>;
  readonly 'x-egress-addresses': readonly string[];
}
