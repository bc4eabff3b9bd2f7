-- A flipped bit in a value is nothing that SQLite notices. NULL: the row was written by an older version.

ALTER TABLE connection ADD COLUMN row_crc INTEGER; -- CRC-32C of all other columns
ALTER TABLE closing    ADD COLUMN row_crc INTEGER; -- … of all other columns
ALTER TABLE exchange   ADD COLUMN row_crc INTEGER; -- … of the columns that no other table can tell
ALTER TABLE message    ADD COLUMN row_crc INTEGER; -- … of the columns that crc does not cover
