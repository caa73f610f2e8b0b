// Package diff is the view of what differs between another input and what the console shows, or
// between two other inputs (pages/difference): connections, policies, findings and guard rails,
// and what was not considered. The other inputs are read, and all is compared, beside the screen.
//
// See package ui for the rules of views.
package diff
