// Package ladder has the pages about the order of policies:
//
//	the ladder    everything that decides, in order, with gaps, duplicates,
//	              unsupported priorities and unreadable objects; a policy is carried along it
//	the plan      free ranges, re-spaced priorities, room between two policies, and the steps there
//
// A plan's proposal follows the present ladder. A plan runs only after one preview of all its steps was
// confirmed; a running or stopped plan is on the page whoever started it.
//
// See package ui for the rules of views.
package ladder
