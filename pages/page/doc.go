// Package page has the parts of a page as text: cells, columns and tables over typed facts, with the meaning
// of each text, not its look. The console paints them, a command prints them; neither adds to the text. Each
// page is a package beside this one, with tables and facts; the facts are its JSON
// (docs/architecture.md#pages).
//
// Roles of text classify states, actions and severities: only here is "behind" an error and "settling" not.
// Pages and views use them.
package page
