/** Leaving the portal: this tab and all others forget what they show. */
import { post } from '../data/http.ts';

const channel = new BroadcastChannel('hp-session');

export function leave(): void {
  sessionStorage.clear();
  const next = location.pathname + location.search + location.hash;
  document.querySelector('#root')?.setAttribute('hidden', '');
  location.replace(`/portal/sign-in?next=${encodeURIComponent(next)}`);
}

export async function signOut(): Promise<void> {
  await post('/portal/v1/sign-out');
  channel.postMessage('signed out');
  sessionStorage.clear();
  localStorage.removeItem('hp-account');
  document.querySelector('#root')?.setAttribute('hidden', '');
  location.replace('/portal/sign-in');
}

export function listenForSignOut(): void {
  channel.onmessage = () => {
    document.querySelector('#root')?.setAttribute('hidden', '');
    location.replace('/portal/sign-in');
  };
}
