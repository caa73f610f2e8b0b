// Package policy tells one policy: the pods it is about, its rules, what it logs, and how its
// rows stand in every zone.
package policy
