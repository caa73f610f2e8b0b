// Package nav names the places of the console: a Page is what a view shows, and also the link of a line in
// another view. Pages compare by value, so that selections and the pages to go back to are kept by identity,
// never by position.
//
// It may import model; every package of ui may import it.
package nav
