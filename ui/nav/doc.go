// Package nav names the places of the console: a Page is what a view shows,
// and at the same time what a line of another view leads to. Pages compare by
// value, so that a selection or the way back is kept by identity and never by
// position.
//
// It may import model; every package of ui may import it.
package nav
