// Package trace shows what happens to one connection: the verdict, the deciding rules, each stage with all
// rules tried, and whether rows and OVN agree.
package trace
