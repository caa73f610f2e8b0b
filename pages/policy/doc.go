// Package policy shows one policy: subject, rules, logging, and the state of its rows in every zone.
package policy
