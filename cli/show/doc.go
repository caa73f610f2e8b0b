// Package show has the commands that show what is read: the ladder, policies, pods and
// findings of the objects; zones, their rows, drift and what was written to them.
package show
