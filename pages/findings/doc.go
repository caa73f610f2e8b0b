// Package findings tells what is wrong or dangerous: about policies, and by comparing zones.
package findings
