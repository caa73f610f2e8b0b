// Package ladder is the view of the precedence ladder: everything that decides,
// in the order in which it decides, with gaps, duplicates, unsupported
// priorities and what could not be read. It is also where a policy is carried
// to another priority.
//
// See package ui for the rules of views.
package ladder
