/** Around frames: gives each frame of kgraph the height that its content asks for. */
const LARGEST = 20_000;

const isOurs = ({ src }: HTMLIFrameElement, origin: string): boolean => {
  try {
    const address = new URL(src);
    return address.origin === origin && /\/embed\/[a-z]+$/.test(address.pathname);
  } catch {
    // A frame without an address is somebody else's.
    return false;
  }
};

addEventListener('message', ({ source, origin, data }: MessageEvent<unknown>) => {
  if (data === null || typeof data !== 'object' || !('type' in data) || data.type !== 'kgraph-height') return;
  const height = 'height' in data ? data.height : null;
  if (typeof height !== 'number' || !Number.isFinite(height) || height <= 0) return;
  for (const frame of document.querySelectorAll('iframe')) {
    if (frame.contentWindow === source && isOurs(frame, origin)) frame.style.height = `${Math.min(height, LARGEST)}px`;
  }
});

for (const frame of document.querySelectorAll('iframe')) {
  // A frame that has loaded already told its height to nobody.
  frame.contentWindow?.postMessage({ type: 'kgraph-ask-height' }, '*');
}
