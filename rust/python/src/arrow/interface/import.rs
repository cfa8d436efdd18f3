//! Arrow data of other libraries.

use std::ffi::{CStr, c_int, c_void};

use pyo3::exceptions::PyUnicodeError;
use pyo3::prelude::*;
use pyo3::types::PyTuple;

use super::structures::{ArrayStruct, Owned, Released, Schema, Stream};
use crate::arrow::bitmaps::are_set;
use crate::arrow::invalid::Invalid;

/// More rows than any machine has memory for. Sums and products of counts below it do not overflow.
const MAX_ROWS: i64 = 1 << 40;
/// More bytes than a process can address.
const MAX_BUFFER_BYTES: u64 = 1 << 47;

/// Arrow data of another library: a schema, and any number of arrays.
pub struct Imported {
    schema: Owned<Schema>,
    chunks: Vec<Owned<ArrayStruct>>,
}

impl Imported {
    /// Reads an object with `__arrow_c_array__` or `__arrow_c_stream__`; `None` if it has neither.
    pub fn from_object(object: &Bound<'_, PyAny>) -> PyResult<Option<Self>> {
        let py = object.py();
        if object.hasattr("__arrow_c_stream__")? {
            let capsule = exported(object, "__arrow_c_stream__")?;
            let stream = Owned::<Stream>::from_capsule(&capsule, c"arrow_array_stream")?;
            // Producers may need the interpreter in other threads.
            return Ok(Some(py.detach(|| Self::from_stream(stream))?));
        }
        if object.hasattr("__arrow_c_array__")? {
            let pair = exported(object, "__arrow_c_array__")?;
            let pair = pair.cast::<PyTuple>()?;
            let schema = Owned::from_capsule(&pair.get_item(0)?, c"arrow_schema")?;
            let array = Owned::from_capsule(&pair.get_item(1)?, c"arrow_array")?;
            return Ok(Some(Self { schema, chunks: vec![array] }));
        }
        Ok(None)
    }

    fn from_stream(mut stream: Owned<Stream>) -> Result<Self, Invalid> {
        let (Some(get_schema), Some(get_next)) = (stream.0.get_schema, stream.0.get_next) else {
            return Err(Invalid::new("a stream without callbacks"));
        };
        let mut schema = Owned::<Schema>::empty();
        // SAFETY: the stream is not released, and the schema is a place that the callback fills.
        let code = unsafe { get_schema(&raw mut *stream.0, &raw mut *schema.0) };
        if code != 0 {
            return Err(stream_error(&mut stream, code));
        }
        if schema.0.is_released() {
            return Err(Invalid::new("a stream without a schema"));
        }
        let mut chunks = Vec::new();
        loop {
            let mut chunk = Owned::<ArrayStruct>::empty();
            // SAFETY: as above.
            let code = unsafe { get_next(&raw mut *stream.0, &raw mut *chunk.0) };
            if code != 0 {
                return Err(stream_error(&mut stream, code));
            }
            if chunk.0.is_released() {
                return Ok(Self { schema, chunks });
            }
            chunks.push(chunk);
        }
    }

    /// The schema of the data.
    pub fn schema(&self) -> Result<SchemaNode<'_>, Invalid> {
        SchemaNode::new(&self.schema.0)
    }

    /// The position of a column of a table.
    pub fn field(&self, name: &str) -> Result<usize, Invalid> {
        let schema = self.schema()?;
        let names = (0..schema.child_count()?).map(|index| schema.child(index).map(SchemaNode::name));
        let names = names.collect::<Result<Vec<_>, _>>()?;
        let mut positions = (0..names.len()).filter(|&index| names[index] == name.as_bytes());
        match (positions.next(), positions.next()) {
            (Some(position), None) => Ok(position),
            (Some(_), Some(_)) => Err(Invalid::new(format!("a table with two columns '{name}'"))),
            (None, _) => {
                let names: Vec<_> = names.iter().map(|name| String::from_utf8_lossy(name)).collect();
                Err(Invalid::new(format!("a table without the column '{name}'; its columns are {}", names.join(", "))))
            }
        }
    }

    /// The arrays.
    pub fn chunks(&self) -> Result<Vec<Node<'_>>, Invalid> {
        let schema = self.schema()?;
        self.chunks.iter().map(|chunk| Node::new(schema, &chunk.0)).collect()
    }
}

/// Returns what a method of the interface returns. A library may first have to convert a column, and find values that
/// Arrow data cannot have.
fn exported<'py>(object: &Bound<'py, PyAny>, method: &str) -> PyResult<Bound<'py, PyAny>> {
    object.call_method0(method).map_err(|error| {
        let py = object.py();
        let module = error.get_type(py).getattr("__module__").and_then(|module| module.extract::<String>());
        let is_conversion =
            error.is_instance_of::<PyUnicodeError>(py) || module.is_ok_and(|m| m.starts_with("pyarrow"));
        if is_conversion { Invalid::new(error.value(py).to_string()).into() } else { error }
    })
}

#[cold]
fn stream_error(stream: &mut Owned<Stream>, code: c_int) -> Invalid {
    let mut message = format!("the stream failed with error {code}");
    if let Some(get_last_error) = stream.0.get_last_error {
        // SAFETY: the stream is not released; the text is valid until its next call.
        let text = unsafe {
            let text = get_last_error(&raw mut *stream.0);
            if text.is_null() { None } else { Some(CStr::from_ptr(text).to_string_lossy().into_owned()) }
        };
        if let Some(text) = text {
            message = format!("{message}: {text}");
        }
    }
    Invalid::new(message)
}

/// The type of an array.
#[derive(Clone, Copy)]
pub struct SchemaNode<'a> {
    schema: &'a Schema,
    format: &'a str,
}

impl<'a> SchemaNode<'a> {
    fn new(schema: &'a Schema) -> Result<Self, Invalid> {
        if schema.is_released() || schema.format.is_null() {
            return Err(Invalid::new("a schema without a format"));
        }
        // SAFETY: the format is a C string that lives as long as the schema.
        let format = unsafe { CStr::from_ptr(schema.format) };
        let Ok(format) = format.to_str() else { return Err(Invalid::new("a format that is not ASCII")) };
        Ok(Self { schema, format })
    }

    /// The format string of the type.
    pub fn format(self) -> &'a str {
        self.format
    }

    /// The name of the field.
    pub fn name(self) -> &'a [u8] {
        if self.schema.name.is_null() {
            return b"";
        }
        // SAFETY: the name is a C string that lives as long as the schema.
        unsafe { CStr::from_ptr(self.schema.name) }.to_bytes()
    }

    /// The number of fields.
    pub fn child_count(self) -> Result<usize, Invalid> {
        count(self.schema.n_children, "fields")
    }

    /// A field.
    pub fn child(self, index: usize) -> Result<Self, Invalid> {
        if index >= self.child_count()? {
            return Err(Invalid::new("a schema with missing fields"));
        }
        // SAFETY: the index is below the number of fields, which live as long as the schema.
        Self::new(unsafe { item(self.schema.children, index)? })
    }

    /// The type of the values, if this is a dictionary.
    pub fn dictionary(self) -> Result<Option<Self>, Invalid> {
        if self.schema.dictionary.is_null() {
            return Ok(None);
        }
        // SAFETY: not null, and lives as long as this schema.
        Self::new(unsafe { reference(self.schema.dictionary)? }).map(Some)
    }
}

/// An array of another library, or a part of it.
#[derive(Clone, Copy)]
pub struct Node<'a> {
    schema: SchemaNode<'a>,
    array: &'a ArrayStruct,
    offset: usize,
    length: usize,
    /// The validity bitmap of the struct that has this array as a field, and the bit of its first row.
    outer: Option<(&'a [u8], usize)>,
}

impl<'a> Node<'a> {
    fn new(schema: SchemaNode<'a>, array: &'a ArrayStruct) -> Result<Self, Invalid> {
        if array.is_released() {
            return Err(Invalid::new("an array that was released"));
        }
        let (length, offset) = (count(array.length, "rows")?, count(array.offset, "rows before the first")?);
        if array.null_count < -1 || array.null_count > array.length {
            return Err(Invalid::new(format!("{} nulls in {length} rows", array.null_count)));
        }
        if schema.schema.dictionary.is_null() != array.dictionary.is_null() {
            return Err(Invalid::new("a dictionary in only one of array and schema"));
        }
        if schema.schema.n_children != array.n_children {
            return Err(Invalid::new("different numbers of fields in array and schema"));
        }
        Ok(Self { schema, array, offset, length, outer: None })
    }

    /// The type.
    pub fn schema(&self) -> SchemaNode<'a> {
        self.schema
    }

    /// The number of rows.
    pub fn length(&self) -> usize {
        self.length
    }

    /// The rows of the buffers before the first one.
    pub fn offset(&self) -> usize {
        self.offset
    }

    /// The number of buffers.
    pub fn buffer_count(&self) -> Result<usize, Invalid> {
        count(self.array.n_buffers, "buffers")
    }

    /// The first items of a buffer, as many as the type and the number of rows require.
    pub fn buffer(&self, index: usize, items: usize, item_bytes: usize) -> Result<&'a [u8], Invalid> {
        if items == 0 {
            return Ok(&[]);
        }
        let start = self.buffer_start(index)?;
        if start.is_null() {
            return Err(Invalid::new("a null pointer in place of a buffer"));
        }
        let bytes = items.checked_mul(item_bytes).filter(|&bytes| {
            isize::try_from(bytes).is_ok()
                && bytes as u64 <= MAX_BUFFER_BYTES
                && (start as usize).checked_add(bytes).is_some()
        });
        let Some(bytes) = bytes else { return Err(Invalid::new("a buffer that does not fit into memory")) };
        // SAFETY: not null, and within the address space. The interface requires the producer to allocate as many bytes
        // as its type and length need, and to keep them until the array is released.
        Ok(unsafe { std::slice::from_raw_parts(start.cast(), bytes) })
    }

    fn buffer_start(&self, index: usize) -> Result<*const c_void, Invalid> {
        if index >= self.buffer_count()? {
            return Err(Invalid::new("missing buffers"));
        }
        if self.array.buffers.is_null() || !self.array.buffers.is_aligned() {
            return Err(Invalid::new("an invalid pointer to the buffers"));
        }
        // SAFETY: the pointer is valid, and the index is below the number of buffers.
        Ok(unsafe { *self.array.buffers.add(index) })
    }

    /// The validity bitmap, or `None` if no row is null.
    pub fn validity(&self) -> Result<Option<&'a [u8]>, Invalid> {
        let count = self.array.null_count;
        match (count, self.buffer_start(0)?.is_null()) {
            // Some libraries have a bitmap although there are no nulls.
            (0, _) | (..0, true) => return Ok(None),
            (_, true) => return Err(Invalid::new("nulls without a validity bitmap")),
            (_, false) => {}
        }
        let bitmap = self.buffer(0, self.end()?.div_ceil(8), 1)?;
        // The number of nulls of a slice is often unknown.
        let is_full = count < 0 && are_set(bitmap, self.offset..self.end()?);
        Ok((!is_full).then_some(bitmap))
    }

    /// The validity bitmap of the struct that has this array as a field, and the bit of its first row.
    pub fn outer_validity(&self) -> Option<(&'a [u8], usize)> {
        self.outer
    }

    /// The number of rows in the buffers.
    pub fn end(&self) -> Result<usize, Invalid> {
        self.offset.checked_add(self.length).ok_or_else(|| Invalid::new("too many rows"))
    }

    /// A field of a struct, with the rows of the struct.
    pub fn child(&self, index: usize) -> Result<Self, Invalid> {
        let schema = self.schema.child(index)?;
        // SAFETY: the index is below the number of fields, which is that of the schema; they live as long as the array.
        let mut child = Self::new(schema, unsafe { item(self.array.children, index)? })?;
        if self.end()? > child.length {
            return Err(Invalid::new("a field with fewer rows than its struct"));
        }
        child.offset = child.offset.checked_add(self.offset).ok_or_else(|| Invalid::new("too many rows"))?;
        child.length = self.length;
        child.outer = self.validity()?.map(|bitmap| (bitmap, self.offset));
        Ok(child)
    }

    /// The only column of a table, or the array itself.
    pub fn single_column(self) -> Result<Self, Invalid> {
        if self.schema.format() != "+s" {
            return Ok(self);
        }
        match self.schema.child_count()? {
            1 => self.child(0),
            count => Err(Invalid::new(format!("a table with {count} columns in place of a column"))),
        }
    }

    /// The values of a dictionary.
    pub fn dictionary(&self) -> Result<Option<Self>, Invalid> {
        let Some(schema) = self.schema.dictionary()? else { return Ok(None) };
        // SAFETY: not null, because array and schema agree, and lives as long as this array.
        Self::new(schema, unsafe { reference(self.array.dictionary)? }).map(Some)
    }
}

/// # Safety
/// A pointer that is not null points to a value that lives for `'a`.
unsafe fn reference<'a, T>(pointer: *const T) -> Result<&'a T, Invalid> {
    if pointer.is_null() || !pointer.is_aligned() {
        return Err(Invalid::new("an invalid pointer"));
    }
    // SAFETY: aligned, not null, and the caller promises the rest.
    Ok(unsafe { &*pointer })
}

/// # Safety
/// If `list` is not null, it has more than `index` pointers, which are null or point to values that live for `'a`.
unsafe fn item<'a, T>(list: *const *mut T, index: usize) -> Result<&'a T, Invalid> {
    if list.is_null() || !list.is_aligned() {
        return Err(Invalid::new("an invalid pointer to fields"));
    }
    // SAFETY: as the caller promises.
    unsafe { reference(*list.add(index)) }
}

fn count(number: i64, what: &str) -> Result<usize, Invalid> {
    usize::try_from(number).ok().filter(|_| number < MAX_ROWS).ok_or_else(|| Invalid::new(format!("{number} {what}")))
}
