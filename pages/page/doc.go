// Package page has the parts of a page as text: cells, columns and tables over typed facts, with the meaning
// of each text, not its look. The console paints them, a command prints them; neither adds to the text. Each
// page is a package beside this one, with facts, which are its JSON, and tables (docs/architecture.md#pages).
//
// It also maps states, actions and severities to roles of text: only here is "behind" an error and "settling"
// not. Pages and views use it.
package page
