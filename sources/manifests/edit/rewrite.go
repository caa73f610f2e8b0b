package edit

import (
	"rung/model"
)

// Rewrite changes the text of one policy, as Policy.YAML holds it, so that the
// policy means object (see Edit.Object). Only the text of what differs is
// touched; comments and order stay. It is an *Error when that cannot be
// done without touching more.
func Rewrite(text []byte, k model.Key, object any) ([]byte, error) {
	return rewrite("", text, []Edit{{Op: Set, Key: k, Origin: model.Origin{Item: -1}, Object: object}})
}
