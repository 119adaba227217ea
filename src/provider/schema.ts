/**
 * Schema of the provider's file. The program reads `ProviderConfig`: the file with the environment applied and with
 * the secrets loaded from the variables and files that it names.
 */
import { Nullable, OneOf, Shape, type Static, type TObject, Type } from '../kernel/schema.ts';
import { type Catalogue, catalogueWith } from './catalogue.ts';
import { Imports } from './imports.ts';
import { type PortSettings, portMembers } from './port-settings.ts';
import { Count, Country, Default, ListOf, Text } from './words.ts';

declare module '../kernel/services.ts' {
  interface Services {
    readonly provider: ProviderConfig;
  }
}

const Path = Type.String({ minLength: 1, maxLength: 4096 });
const VariableName = Type.String({
  pattern: '^[A-Za-z_][A-Za-z0-9_]*$',
  maxLength: 128,
  examples: ['DATABASE_URL'],
});
const HttpUrl = Type.String({
  pattern: '^https?://[^\\s@/]+(/[^\\s]*)?$',
  maxLength: 255,
  examples: ['https://api.example.com'],
});
const EmailAddress = Type.String({
  pattern: '^[^@\\s]+@[^@\\s]+$',
  maxLength: 254,
  examples: ['support@example.com'],
});
const Cidrs = ListOf(Type.String({ minLength: 2, maxLength: 64 }), { maxItems: 256 });

const Provider = Shape({
  name: Text,
  /** The parent domain of the provider's reverse DNS names and mail addresses. */
  domain: Type.String({
    pattern: '^([a-z0-9]([a-z0-9-]*[a-z0-9])?\\.)+[a-z]{2,}$',
    maxLength: 253,
    examples: ['example.com'],
  }),
  /** Where the errors and pages of the documentation are. null: the pages that the server itself has, under /docs. */
  docs_url: Default(Nullable(HttpUrl), null),
  support_email: EmailAddress,
  currency: Type.String({ pattern: '^[A-Z]{3}$', examples: ['EUR'] }),
  country: Country,
  timezone: Text,
});

const Server = Shape({
  host: Default(Type.String({ minLength: 1, maxLength: 253 }), '127.0.0.1'),
  port: Default(Type.Integer({ minimum: 0, maximum: 65_535 }), 8080),
  /** The port on which a worker-only process serves probes and metrics; 0: none. */
  worker_port: Default(Type.Integer({ minimum: 0, maximum: 65_535 }), 0),
  /** The URL that clients use. Built from host and port if left out. */
  base_url: Default(Nullable(HttpUrl), null),
  tls: Default(Nullable(Shape({ certificate: Path, key: Path })), null),
  allow_plain_http: Default(Type.Boolean(), false),
  trusted_proxies: Default(Cidrs, []),
  metrics_allow_from: Default(Cidrs, ['127.0.0.0/8', '::1/128']),
  rate_limit: Default(
    Shape({
      /** IPv6 addresses that share a prefix of this length count as one client. */
      ipv6_prefix: Default(Type.Unsafe<64 | 56>({ type: 'integer', enum: [64, 56] }), 64),
      /** `auto`: Redis if configured, otherwise memory. */
      store: Default(OneOf(['auto', 'memory', 'redis']), 'auto'),
    }),
    {},
  ),
  body_limit_bytes: Default(Type.Integer({ minimum: 1024, maximum: 67_108_864 }), 262_144),
  body_timeout_seconds: Default(Type.Integer({ minimum: 1, maximum: 300 }), 30),
  shutdown_seconds: Default(Type.Integer({ minimum: 0, maximum: 300 }), 20),
  log_level: Default(OneOf(['debug', 'info', 'warn', 'error']), 'info'),
});

/** At most one of the three may be set; `url` must not contain a password. */
const Address = {
  url: Default(Nullable(Type.String({ minLength: 1, maxLength: 2048 })), null),
  url_env: Default(Nullable(VariableName), null),
  url_file: Default(Nullable(Path), null),
};

const Database = Shape({
  ...Address,
  /** The data folder. Without a URL it contains the embedded PostgreSQL. */
  folder: Default(Path, 'data'),
  pool_size: Default(Type.Unsafe<number>({ ...Count, maximum: 500 }), 10),
});

const Redis = Shape(Address);

const Secrets = Shape({
  /** Default: `secret.key` in the data folder, created at the first start. */
  key_file: Default(Nullable(Path), null),
});

/** The portal, where people sign in. */
const Portal = Shape({
  enabled: Default(Type.Boolean(), true),
  /** Who may sign up: everybody, only people with an invitation, or nobody. */
  sign_up: Default(OneOf(['open', 'invited', 'closed']), 'open'),
  /** The address in the browser, if it is not that of the API. Without a path. */
  base_url: Default(
    Nullable(
      Type.String({
        pattern: '^https?://[^\\s@/]+$',
        maxLength: 255,
        examples: ['https://portal.example.com'],
      }),
    ),
    null,
  ),
  /** The name in the portal and in mails, if it is not that of the provider. */
  name: Default(Nullable(Text), null),
  /** A PNG, SVG or WebP file. */
  logo: Default(Nullable(Path), null),
  /** The colour of buttons and links. */
  accent: Default(Nullable(Type.String({ pattern: '^#[0-9a-f]{6}$', examples: ['#3651d4'] })), null),
  support_url: Default(Nullable(HttpUrl), null),
  terms_url: Default(Nullable(HttpUrl), null),
  privacy_url: Default(Nullable(HttpUrl), null),
});

/** Rules for outgoing requests to addresses that customers choose, such as webhooks. */
const Egress = Shape({
  allow: Default(Cidrs, []),
  deny: Default(Cidrs, []),
  addresses: Default(Cidrs, []),
  ca_file: Default(Nullable(Path), null),
});

/** How mails to people are sent. */
const Mail = Shape({
  /** The sender's address. null: no-reply@ at the provider's domain. */
  from: Default(Nullable(EmailAddress), null),
  /** null: mails are written to files in the data folder, and nobody receives them. */
  smtp: Default(
    Nullable(
      Shape({
        host: Type.String({ minLength: 1, maxLength: 253, examples: ['smtp.example.com'] }),
        port: Default(Type.Integer({ minimum: 1, maximum: 65_535 }), 587),
        /** `starttls`: TLS after a plain greeting, never without; `implicit`: TLS from the first byte (port 465). */
        tls: Default(OneOf(['starttls', 'implicit', 'none']), 'starttls'),
        user: Default(Nullable(Text), null),
        password_file: Default(Nullable(Path), null),
      }),
    ),
    null,
  ),
});

const sections = {
  provider: Provider,
  server: Server,
  database: Database,
  redis: Redis,
  secrets: Secrets,
  egress: Egress,
  imports: Imports,
  mail: Mail,
  portal: Portal,
};
const Sections = Shape(sections);

export type ProviderFile = Static<typeof Sections> & { catalogue: Catalogue };

const known = new WeakMap<readonly PortSettings[], TObject>();

/** The schema with the settings of these ports. It is built once for each list, because validators are compiled once. */
export function providerFileWith(ports: readonly PortSettings[]): TObject {
  const schema = known.get(ports) ?? Shape({ ...sections, catalogue: catalogueWith(portMembers(ports)) });
  known.set(ports, schema);
  return schema;
}

export interface ProviderConfig {
  readonly provider: ProviderFile['provider'];
  readonly server: ProviderFile['server'];
  /** `url` is a secret: it may contain a password. `url_file`, if it comes from a file, is read again for each connection. */
  readonly database: {
    readonly url: string | null;
    readonly url_file: string | null;
    readonly folder: string;
    readonly pool_size: number;
  };
  readonly redis: { readonly url: string | null };
  /** `key` is a secret: it encrypts the secrets in the database. `null` unless the environment sets it. */
  readonly secrets: { readonly key: string | null; readonly key_file: string };
  /** `ca` is the content of `ca_file`. */
  readonly egress: Omit<ProviderFile['egress'], 'ca_file'> & { readonly ca: string | null };
  /** `folder` is an absolute path. */
  readonly imports: Imports;
  readonly mail: { readonly from: string; readonly smtp: SmtpConfig | null };
  /** `logo` is an absolute path. */
  readonly portal: ProviderFile['portal'];
  readonly catalogue: Catalogue;
}

/** `password` is a secret: the content of `password_file`. */
export interface SmtpConfig {
  readonly host: string;
  readonly port: number;
  readonly tls: 'starttls' | 'implicit' | 'none';
  readonly user: string | null;
  readonly password: string | null;
}

/** Without a slash at its end. */
export const docsUrlOf = ({ provider }: Pick<ProviderConfig, 'provider'>, baseUrl: string): string =>
  (provider.docs_url ?? `${baseUrl}/docs`).replace(/\/$/, '');
