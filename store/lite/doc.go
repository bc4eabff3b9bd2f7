// Package lite calls SQLite's C interface without database/sql between: what is read is lent instead of copied, and no
// value is boxed on its way. It is for the statements that are executed for every exchange.
//
// A [Conn] and what belongs to it are not safe for concurrent use. The file must have been opened with the driver of
// modernc.org/sqlite before: that sets the library up.
package lite
