// Package guard has the guard rails: what a change of policies must not do by accident. They judge the effect
// on connections in both directions. They ask for the name of a policy if a change opens what is denied,
// closes what a cluster depends on, or deletes a policy. The gate calls JudgeChanges for every change, however
// it was requested.
//
// Invariants: a rail depends on the effect of a change, never on the request. An unknown effect is itself a
// rail, and the policies are judged alone. Nothing is written, and no clock is read.
//
// change/gate imports it; it imports revision and model.
package guard
