// Package limits says what Rung cannot do on which operating system: a table, which the
// console tells at its start, and from which what needs such a thing has its error.
//
// Invariant: a system that is not in the table has no limits. docs/configuration.md has the
// same limits for people (TestLimitsAreTold). Everybody may import it; it imports nothing.
package limits
