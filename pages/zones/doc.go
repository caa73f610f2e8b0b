// Package zones tells the zones: how each is read, what is in sync there, and what is wrong
// at it.
package zones
