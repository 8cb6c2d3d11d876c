/** Style sheets are the bundler's matter. */
declare module '*.css';
