import { approvalRequest } from '../../kernel/approvals/kind.ts';
import { accountResources } from '../../kernel/events/account-types.ts';
import type { Family } from '../../kernel/registry.ts';
import { budgetEvaluation } from '../../money/budgets/evaluation.ts';
import { priceAnnouncements } from '../../money/metering/announcements/announcements.ts';
import { repricing } from '../../money/metering/price-changes.ts';
import { examineTotals, recountAll } from '../../money/metering/totals/examination.ts';
import { folding } from '../../money/metering/totals/folding.ts';
import { correctAllCounts, examineCounts } from '../../resources/limits/kept/examination.ts';
import { countFolding } from '../../resources/limits/kept/folding.ts';
import { getApiKey, listApiKeys, revokeApiKey } from './api-keys/endpoints.ts';
import { keyEnds } from './api-keys/expiry-events.ts';
import { listAuditEntries } from './audit-log/endpoints.ts';
import { budgetWords } from './budgets/change-words.ts';
import { deleteBudget, listBudgets, setBudget } from './budgets/endpoints.ts';
import { budgetResource } from './budgets/resource.ts';
import { listEvents } from './events/endpoints.ts';
import { getIpAllowlist } from './ip-allowlist/endpoints.ts';
import { listKeyDenials } from './key-denials/endpoints.ts';
import { listLimits } from './limits/endpoints.ts';
import { accountLimitCounts } from './limits/store.ts';
import { listMembers } from './members/endpoints.ts';
import { cancelOperation, getOperation, listOperations } from './operations/endpoints.ts';
import { operationResource } from './operations/resource.ts';
import { accountPrices } from './prices.ts';
import { estimatePrice, listPrices } from './pricing/endpoints.ts';
import { priceResource } from './pricing/resource.ts';
import { getAccountProfile } from './profile/endpoints.ts';
import { listResources } from './resources/endpoints.ts';
import { listMyApis } from './self/my-apis.ts';
import { getWhoami } from './self/whoami.ts';
import { topics } from './topics.ts';
import { getUsage } from './usage/endpoints.ts';
import { listWebhookDeliveries, redeliverWebhook } from './webhook-deliveries/endpoints.ts';
import { deleteWebhook, listWebhooks, setWebhook } from './webhooks/endpoints.ts';
import { webhooks } from './webhooks/resource.ts';

export const account: Family = {
  name: 'account',
  title: 'Account',
  description: 'The account itself: profile, keys, limits, prices, usage and the audit log.',
  topics,
  endpoints: [
    getAccountProfile,
    getWhoami,
    listMyApis,
    listMembers,
    listApiKeys,
    getApiKey,
    revokeApiKey,
    getIpAllowlist,
    listKeyDenials,
    listResources,
    listLimits,
    listPrices,
    estimatePrice,
    getUsage,
    listBudgets,
    setBudget,
    deleteBudget,
    listAuditEntries,
    listOperations,
    getOperation,
    cancelOperation,
    listEvents,
    listWebhooks,
    setWebhook,
    deleteWebhook,
    listWebhookDeliveries,
    redeliverWebhook,
  ],
  pricedTypes: accountPrices,
  limitCounts: accountLimitCounts,
  resources: [...accountResources, priceResource, budgetResource, operationResource, webhooks],
  changeWords: { [budgetResource.type]: budgetWords },
  kinds: [approvalRequest],
  schedules: [budgetEvaluation, repricing, folding, countFolding, priceAnnouncements, keyEnds],
  examine: async (db) => [...(await examineTotals(db)), await examineCounts(db)],
  recount: async (db) => [...(await recountAll(db)), ...(await correctAllCounts(db))],
};
