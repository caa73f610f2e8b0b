// Package guard has the guard rails: what a change of policies must not do by accident. They
// judge what becomes of connections, in both directions, and ask for the name of a policy
// where a change opens what is denied today, closes what a cluster lives on, or deletes a
// policy. Whatever way a change comes in, the gate asks JudgeChanges about it.
//
// Invariants: a rail is met by what a change does, never by how it is asked for; where it is
// not known what it does, that is a rail itself, and the policies are judged alone; nothing
// is written, and no clock is read.
//
// change/gate imports it; it imports revision and model.
package guard
