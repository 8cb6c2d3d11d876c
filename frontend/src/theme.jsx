/** The switch between following the system, light and dark. */
import { useMonaco, useGraphiQL, useGraphiQLActions } from '@graphiql/react';
import { useEffect } from 'react';

const CHOICES = [
  { theme: null, label: 'System' },
  { theme: 'light', label: 'Light' },
  { theme: 'dark', label: 'Dark' },
];

/** Three buttons; the choice is remembered by GraphiQL. */
export function ThemeSwitch() {
  const chosen = useGraphiQL((state) => state.theme);
  const { setTheme } = useGraphiQLActions();
  const monaco = useMonaco((state) => state.monaco);

  // The page's colours follow the system by a media query, the editor's only when told.
  useEffect(() => {
    if (chosen !== null || !monaco) return undefined;
    const system = window.matchMedia('(prefers-color-scheme: dark)');
    const follow = () => setTheme(null);
    system.addEventListener('change', follow);
    return () => system.removeEventListener('change', follow);
  }, [chosen, monaco, setTheme]);

  return (
    <div role="group" aria-label="Theme" className="kgraph-theme">
      {CHOICES.map(({ theme, label }) => (
        <button key={label} type="button" aria-pressed={theme === chosen} onClick={() => setTheme(theme)}>
          {label}
        </button>
      ))}
    </div>
  );
}
