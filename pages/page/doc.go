// Package page has the words a page is told in: cells, columns and tables over typed
// facts, with what each piece means, not how it looks. The console paints them, a command
// prints them; neither adds to what they say. A page is a package beside this one, with
// its facts, which are its JSON, and its tables (docs/architecture.md#pages).
//
// It also says what states, actions and severities mean as roles of text: the one
// place where "behind" is an error and "settling" is not. Pages and views use it.
package page
