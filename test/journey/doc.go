// Package journey walks through Rung as an admin does: the real program in a
// pseudo-terminal, keys pressed, the screen read, the rows of the sandbox looked
// at by a client that shares no code with Rung.
//
// Its tests wait for what should be on the screen or in a database, never for
// time to pass, and run side by side: each has a program, a home and a sandbox
// of its own. A journey that needs a real ovsdb-server says so where there is none; the
// other journeys run on the server that is built in as well.
package journey
