// Package serve has what runs until it is ended: the console on the screen that main hands
// in, and rung reconcile.
package serve
