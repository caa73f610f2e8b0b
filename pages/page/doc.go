// Package page has the parts of a page as text: cells, columns and tables over typed facts, with the meaning
// of each text, not its look. The console paints them, a command prints them; neither adds to the text. Each
// page is a package beside this one, with tables and facts; the facts are its JSON
// (docs/architecture.md#pages).
//
// It also maps states, actions and severities to roles of text. Only here is decided that "behind" is an error
// and "settling" is not.
package page
