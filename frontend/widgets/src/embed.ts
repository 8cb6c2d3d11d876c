/** Inside a frame: tells the page around it how high the content is. */
const tell = (): void => {
  parent.postMessage({ type: 'kgraph-height', height: Math.ceil(document.documentElement.getBoundingClientRect().height) }, '*');
};

if (parent !== window) {
  new ResizeObserver(tell).observe(document.documentElement);
  // Browsers lay out frames out of sight when they come into sight, which would move what is read there.
  for (const type of ['kgraph-load', 'kgraph-error']) document.addEventListener(type, tell);
  // The script around the frame may have come later than the first message.
  addEventListener('message', ({ source, data }: MessageEvent<unknown>) => {
    if (source === parent && data !== null && typeof data === 'object' && 'type' in data && data.type === 'kgraph-ask-height') tell();
  });
}
