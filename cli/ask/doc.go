// Package ask has the commands that ask what becomes of connections: trace, matrix, probe,
// verify, explain of what ovn-trace printed, and convert, which proves that two sides say
// the same. An answer to one question of many is a command.AnswerItem: a line where there are
// many, the whole way where there is one.
package ask
