// Package ladder has the pages about the order of policies:
//
//	the ladder    everything that decides, in the order in which it decides, with gaps, duplicates,
//	              unsupported priorities and what could not be read; a policy is carried along it
//	the plan      free ranges, re-spaced priorities, room between two policies, and the steps there
//
// What a plan proposes follows the ladder as it is now. A plan runs only after one preview of all its
// steps was answered with yes; one that is under way or stopped is on the page whoever started it.
//
// See package ui for the rules of views.
package ladder
