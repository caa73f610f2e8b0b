// Package revised makes revisions for tests: of the example cluster, of drawn ones, and of a
// few policies, with zones and rows as a test wants them.
package revised
