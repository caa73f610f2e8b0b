// Package drift tells how rows differ from those that are wanted.
package drift
