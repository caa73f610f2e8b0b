// Package logs has rung logs: the lines of the ACL log as they come, counted, explained
// where none come, or made into a policy.
package logs
