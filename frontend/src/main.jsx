/** Mounts the playground on the page that `index.html` describes. */
import './environment.js';
import { createRoot } from 'react-dom/client';
import { Playground } from './playground.jsx';
import './playground.css';

const host = document.getElementById('playground');
createRoot(host).render(<Playground endpoint={host.dataset.endpoint} />);
