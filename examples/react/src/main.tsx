import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { Records } from './records';
import './page.css';

const root = document.getElementById('root');
if (!root) throw new Error('index.html has no #root');
createRoot(root).render(
  <StrictMode>
    <Records />
  </StrictMode>,
);
