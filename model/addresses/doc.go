// Package addresses hands out addresses for pods that have none yet, next to those of others, so that
// policies are asked about them as about any pod.
//
// An address is handed out once, and never one that somebody has. The package is pure; revision
// imports it.
package addresses
