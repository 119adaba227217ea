import type { Capabilities } from '../capabilities.ts';

export const sandboxCapabilities: Capabilities = {
  liveResize: true,
  nicHotPlug: true,
  privateNetworks: true,
  overlappingNetworks: true,
  vpnGateways: true,
  vpnRoutes: true,
  blockVolumes: true,
  fileSystemVolumes:
    'Volumes in this location are raw devices. Make a file system on the volume inside the machine.',
  volumesEverywhere: true,
  onlineVolumeResize: true,
  ipv6Routes: true,
  privateFirewalls: true,
  publicFirewalls: true,
  quiesce: true,
  rescue: true,
  passwordReset: true,
  imageImport: true,
  isoDrive: true,
  consoleLog: true,
  serialConsole: true,
  graphicalConsole: 'Machines of the sandbox have no screen. Open the serial console instead.',
  series: true,
};
