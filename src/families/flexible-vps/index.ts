import { computePort } from '../../engines/compute/port.ts';
import { objectsPort } from '../../engines/objects/port.ts';
import type { Family } from '../../kernel/registry.ts';
import { countEphemeral } from '../../resources/addresses/availability/store.ts';
import { addressSearches } from './address-search/store.ts';
import { policyWords } from './backup-policies/change-words.ts';
import { backupPolicyEndpoints } from './backup-policies/endpoints.ts';
import { findPolicyReferences } from './backup-policies/references.ts';
import { backupPolicies } from './backup-policies/resource.ts';
import { updateBackupPolicy } from './backup-policy-update/endpoint.ts';
import { backupRuns } from './backup-runs/runs.ts';
import { findBackupDownload } from './backups/download.ts';
import { backupEndpoints } from './backups/endpoints.ts';
import { backupLife } from './backups/lifecycle.ts';
import { backups } from './backups/resource.ts';
import { backupExpiry } from './backups/schedule.ts';
import { listVpsLocations } from './catalog/locations.ts';
import { checkOffers } from './catalog/provider-check.ts';
import { attachVpsFirewall, detachVpsFirewall } from './firewall-attachments/endpoints.ts';
import { firewallWords } from './firewalls/change-words/firewall-words.ts';
import { firewallEndpoints } from './firewalls/endpoints.ts';
import { firewallLife } from './firewalls/lifecycle.ts';
import { firewalls } from './firewalls/resource.ts';
import { createImage, deleteImage, getImage, listImages } from './images/endpoints.ts';
import { removeFailedImages } from './images/failed-images.ts';
import { imageLife } from './images/lifecycle.ts';
import { findImageReferences } from './images/references.ts';
import { images } from './images/resource.ts';
import { countImports } from './imports/store.ts';
import { interfaceDrift } from './interface-changes/drift.ts';
import { interfaceEndpoints } from './interface-changes/endpoints.ts';
import { interfaceWords } from './interfaces/change-words.ts';
import { interfaceLife } from './interfaces/lifecycle.ts';
import { interfaceResource } from './interfaces/resource.ts';
import { isoEndpoints } from './isos/endpoints.ts';
import { removeFailedIsos } from './isos/failed-isos.ts';
import { isoLife } from './isos/lifecycle.ts';
import { isos } from './isos/resource.ts';
import { deleteVpsNetwork } from './network-deletion/endpoint.ts';
import { networkWords } from './networks/change-words.ts';
import { networkEndpoints } from './networks/endpoints.ts';
import { networkLife } from './networks/lifecycle.ts';
import { networks } from './networks/resource.ts';
import {
  createPlacementGroup,
  deletePlacementGroup,
  getPlacementGroup,
  listPlacementGroups,
  placementGroups,
} from './placement-groups/endpoints.ts';
import { listVpsPlans } from './plans/endpoints.ts';
import { performBulkVmAction } from './power/bulk/endpoints.ts';
import { performVmAction } from './power/endpoints.ts';
import { powerKinds } from './power/kinds.ts';
import { flexibleVpsPrices } from './prices.ts';
import { publicIpEndpoints } from './public-ips/endpoints.ts';
import { failedCreates } from './reconciliation/failed-creates.ts';
import { firewallDrift } from './reconciliation/firewalls.ts';
import { gatewayDrift } from './reconciliation/gateways.ts';
import { isoDrift } from './reconciliation/isos.ts';
import { machineDrift } from './reconciliation/machines.ts';
import { networkDrift } from './reconciliation/networks.ts';
import { watchMachines } from './reconciliation/nudges.ts';
import { machineSamples } from './reconciliation/samples.ts';
import { examineStrays } from './reconciliation/strays/examination.ts';
import { volumeDrift } from './reconciliation/volumes.ts';
import { peerExpiry, peerKeyErasure } from './reconciliation/vpn-peer-schedules.ts';
import { redeployVm } from './redeploy/endpoint.ts';
import { resizeVm } from './resize/endpoints.ts';
import { countSizes } from './resize/store.ts';
import { restoreVm } from './restore/endpoint.ts';
import { snapshotEndpoints } from './snapshots/endpoints.ts';
import { snapshotLife } from './snapshots/lifecycle.ts';
import { snapshots } from './snapshots/resource.ts';
import { snapshotExpiry, snapshotSizes } from './snapshots/schedules.ts';
import { createVpsSshKey, deleteVpsSshKey, getVpsSshKey, listVpsSshKeys } from './ssh-keys/endpoints.ts';
import { sshKeys } from './ssh-keys/resource.ts';
import { topics } from './topics.ts';
import { machineTraffic } from './traffic/count.ts';
import { createVmConsoleSession } from './vm-access/console.ts';
import { consoleSessionUpkeep, findVmConsole } from './vm-access/console-line.ts';
import { getVmConsoleLog } from './vm-access/console-log.ts';
import { resetVmPassword } from './vm-access/password.ts';
import { setVmRescue } from './vm-access/rescue.ts';
import { rescueExpiry } from './vm-access/rescue-expiry.ts';
import { createVm } from './vm-creation/endpoint.ts';
import { deleteVm } from './vm-deletion/deletion.ts';
import { setVmIso } from './vm-drive/endpoint.ts';
import { getVm, listVms } from './vm-reading/endpoints.ts';
import { getVmMetrics } from './vm-reading/metrics.ts';
import { vmWords } from './vm-update/change-words.ts';
import { updateVm } from './vm-update/endpoint.ts';
import { vmLife } from './vms/lifecycle.ts';
import { vms } from './vms/resource.ts';
import { performVpsVolumeAction } from './volume-actions/endpoint.ts';
import { resizeVolumeKind, restoreVolumeKind } from './volume-actions/kinds.ts';
import { createVpsVolume } from './volume-creation/endpoint.ts';
import { deleteVpsVolume } from './volume-deletion/endpoint.ts';
import { volumeSnapshotEndpoints } from './volume-snapshots/endpoints.ts';
import { volumeSnapshotLife } from './volume-snapshots/lifecycle.ts';
import { volumeSnapshots } from './volume-snapshots/resource.ts';
import { volumeSnapshotExpiry } from './volume-snapshots/schedule.ts';
import { detachVolumeKind } from './volumes/attach-kinds.ts';
import { volumeEndpoints } from './volumes/endpoints.ts';
import { volumeLife } from './volumes/lifecycle.ts';
import { volumes } from './volumes/resource.ts';
import { getVpnPeerConfig } from './vpn-configs/endpoints.ts';
import { updateVpnGateway } from './vpn-gateway-update/endpoint.ts';
import { gatewayWords } from './vpn-gateways/change-words.ts';
import { vpnGatewayEndpoints } from './vpn-gateways/endpoints.ts';
import { vpnGatewayLife } from './vpn-gateways/lifecycle.ts';
import { vpnGateways } from './vpn-gateways/resource.ts';
import { peerWords } from './vpn-peers/change-words.ts';
import { vpnPeerEndpoints } from './vpn-peers/endpoints.ts';
import { vpnPeers } from './vpn-peers/resource.ts';

export const flexibleVps: Family = {
  name: 'flexible-vps',
  title: 'Flexible VPS',
  description:
    'Virtual machines billed by the hour, with their disks, volumes, snapshots, backups, images, ISOs, private networks, firewalls and VPN gateways.',
  topics,
  endpoints: [
    listVpsLocations,
    listVpsPlans,
    listVms,
    createVm,
    getVm,
    updateVm,
    deleteVm,
    redeployVm,
    restoreVm,
    ...snapshotEndpoints,
    performVmAction,
    resizeVm,
    performBulkVmAction,
    resetVmPassword,
    setVmRescue,
    setVmIso,
    createVmConsoleSession,
    getVmConsoleLog,
    getVmMetrics,
    ...interfaceEndpoints,
    ...publicIpEndpoints,
    listVpsSshKeys,
    createVpsSshKey,
    getVpsSshKey,
    deleteVpsSshKey,
    listPlacementGroups,
    createPlacementGroup,
    getPlacementGroup,
    deletePlacementGroup,
    ...networkEndpoints,
    deleteVpsNetwork,
    ...firewallEndpoints,
    attachVpsFirewall,
    detachVpsFirewall,
    listImages,
    createImage,
    getImage,
    deleteImage,
    ...isoEndpoints,
    ...volumeEndpoints,
    createVpsVolume,
    deleteVpsVolume,
    performVpsVolumeAction,
    ...volumeSnapshotEndpoints,
    ...backupEndpoints,
    ...backupPolicyEndpoints,
    updateBackupPolicy,
    ...vpnGatewayEndpoints,
    updateVpnGateway,
    ...vpnPeerEndpoints,
    getVpnPeerConfig,
  ],
  resources: [
    sshKeys,
    placementGroups,
    networks,
    firewalls,
    images,
    isos,
    vms,
    interfaceResource,
    snapshots,
    volumes,
    volumeSnapshots,
    backups,
    backupPolicies,
    vpnGateways,
    vpnPeers,
  ],
  changeWords: {
    [firewalls.type]: firewallWords,
    [backupPolicies.type]: policyWords,
    [vms.type]: vmWords,
    [networks.type]: networkWords,
    [interfaceResource.type]: interfaceWords,
    [vpnGateways.type]: gatewayWords,
    [vpnPeers.type]: peerWords,
  },
  pricedTypes: flexibleVpsPrices,
  checkCatalogue: checkOffers,
  findConsole: findVmConsole,
  findDownload: findBackupDownload,
  kinds: [...Object.values(powerKinds), detachVolumeKind, resizeVolumeKind, restoreVolumeKind],
  lifecycles: [
    vmLife,
    interfaceLife,
    networkLife,
    firewallLife,
    imageLife,
    isoLife,
    snapshotLife,
    volumeLife,
    volumeSnapshotLife,
    backupLife,
    vpnGatewayLife,
  ],
  findReferences: async (db, accountId, ids) => ({
    ...(await findImageReferences(db, accountId, ids)),
    ...(await findPolicyReferences(db, accountId, ids)),
  }),
  addressSearches,
  limitCounts: [
    { limits: ['flexible-vps.vcpus', 'flexible-vps.memory-gb'], query: countSizes },
    { limits: ['flexible-vps.public-ipv4'], query: countEphemeral },
    { limits: ['flexible-vps.url-imports'], query: countImports },
  ],
  schedules: [
    machineDrift,
    machineSamples,
    machineTraffic,
    interfaceDrift,
    networkDrift,
    firewallDrift,
    failedCreates,
    removeFailedImages,
    removeFailedIsos,
    isoDrift,
    snapshotExpiry,
    snapshotSizes,
    volumeSnapshotExpiry,
    backupExpiry,
    backupRuns,
    volumeDrift,
    gatewayDrift,
    peerExpiry,
    peerKeyErasure,
    rescueExpiry,
    consoleSessionUpkeep,
  ],
  ports: [computePort, objectsPort],
  watch: watchMachines,
  examine: examineStrays,
};
