// Package browser holds tests of what Rung writes for a browser, in a real one: headless
// Chromium. It is a module of its own, so that what drives the browser is no dependency of
// Rung. `make browser` runs it.
package browser
