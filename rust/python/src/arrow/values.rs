//! Columns from and to Python objects.

use std::ffi::CString;
use std::sync::Arc;

use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyInt, PyList, PyString, PyTuple};

use super::array::{Array, Bits, Data, Texts, offset};
use super::column::Column;
use super::interface::{Imported, Node, SchemaNode};
use super::invalid::Invalid;
use super::lists::{List, ListedIntegers, ListedTexts, read_list};
use super::numbers::{IntegerChunk, has_integers, has_numbers, is_float, is_integer};
use super::text::{TextChunk, is_text};
use super::types::unsupported_type;

/// A column as Python passes it: Arrow data, or one value, or a list of values.
pub enum Argument {
    /// Arrow data.
    Imported(Imported),
    /// Texts or bytes.
    Texts(ListedTexts),
    /// Integers.
    Integers(ListedIntegers),
}

/// The chunks of a column.
pub enum Chunks<'a> {
    /// Of texts or bytes.
    Text(Vec<TextChunk<'a>>),
    /// Of integers.
    Integers(Vec<IntegerChunk<'a>>),
}

impl<'a> Chunks<'a> {
    /// Reads an array of IDs.
    pub fn of_ids(node: &Node<'a>) -> Result<Self, Invalid> {
        check_id_type(node.schema())?;
        if has_numbers(node.schema())? {
            Ok(Self::Integers(vec![IntegerChunk::new(node)?]))
        } else {
            Ok(Self::Text(vec![TextChunk::new(node)?]))
        }
    }
}

impl Argument {
    /// Reads an argument.
    pub fn from_object(object: &Bound<'_, PyAny>) -> PyResult<Self> {
        if let Ok(list) = object.cast::<PyList>() {
            return Ok(read_list(list.iter())?.into());
        }
        if object.is_none()
            || object.is_instance_of::<PyString>()
            || object.is_instance_of::<PyBytes>()
            || object.is_instance_of::<PyInt>()
        {
            return Ok(read_list(std::iter::once(object.clone()))?.into());
        }
        match Imported::from_object(object)? {
            Some(imported) => Ok(Self::Imported(imported)),
            None => Err(PyTypeError::new_err(format!(
                "a column must be Arrow data, a list or a single value, not {}",
                object.get_type().name()?
            ))),
        }
    }

    /// The chunks of a column of IDs.
    pub fn ids(&self) -> Result<Chunks<'_>, Invalid> {
        if let Self::Imported(imported) = self {
            let schema = single_type(imported)?;
            check_id_type(schema)?;
            if has_numbers(schema)? {
                return Ok(Chunks::Integers(IntegerChunk::read(imported)?));
            }
        }
        self.chunks()
    }

    /// The chunks of the column.
    pub fn chunks(&self) -> Result<Chunks<'_>, Invalid> {
        Ok(match self {
            Self::Imported(imported) => {
                if has_integers(single_type(imported)?)? {
                    Chunks::Integers(IntegerChunk::read(imported)?)
                } else {
                    Chunks::Text(TextChunk::read(imported)?)
                }
            }
            Self::Texts(texts) => Chunks::Text(vec![TextChunk::listed(texts)?]),
            Self::Integers(integers) => Chunks::Integers(vec![IntegerChunk::listed(integers)?]),
        })
    }
}

impl From<List> for Argument {
    fn from(list: List) -> Self {
        match list {
            List::Texts(texts) => Self::Texts(texts),
            List::Integers(integers) => Self::Integers(integers),
        }
    }
}

/// The type of the only column of a table, or of the column itself.
fn single_type(imported: &Imported) -> Result<SchemaNode<'_>, Invalid> {
    let schema = imported.schema()?;
    if schema.format() == "+s" && schema.child_count()? == 1 { schema.child(0) } else { Ok(schema) }
}

fn check_id_type(schema: SchemaNode<'_>) -> Result<(), Invalid> {
    let format = schema.dictionary()?.unwrap_or(schema).format();
    if is_integer(format) || is_float(format) || is_text(format) {
        return Ok(());
    }
    Err(unsupported_type(format, "integers, text or bytes"))
}

/// Returns the rows of a column of text or bytes as `bytes`. Rows of one dictionary value share an object.
#[pyfunction]
#[pyo3(signature = (column, /))]
pub fn read_values<'py>(column: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyList>> {
    let py = column.py();
    let list = PyList::empty(py);
    let argument = Argument::from_object(column)?;
    let Chunks::Text(chunks) = argument.chunks()? else {
        return Err(Invalid::new("a column of integers: expected text or bytes").into());
    };
    let object = |value: Option<&[u8]>| match value {
        None => py.None().into_bound(py),
        Some(value) => PyBytes::new(py, value).into_any(),
    };
    for chunk in &chunks {
        let coded = chunk.coded();
        let mut shared: Vec<Option<Bound<'_, PyAny>>> = vec![None; coded.as_ref().map_or(0, |c| c.values.length())];
        for row in 0..chunk.length() {
            match &coded {
                Some(coded) if !chunk.is_null(row) => {
                    let code = coded.code(row)?;
                    let item = match &shared[code] {
                        Some(item) => item.clone(),
                        None => shared[code].insert(object(coded.values.get(code)?)).clone(),
                    };
                    list.append(item)?;
                }
                _ => list.append(object(chunk.get(row)?))?,
            }
        }
    }
    Ok(list)
}

/// Builds a column from Python objects: the type, and one object for each row.
///
/// A type is `bool`, `int32`, `int64`, `float64` or `text`, or `("list", type)`, or `("struct", ((name, type), ...))`.
/// The rows of a struct are tuples.
#[pyfunction]
#[pyo3(signature = (type_, values, /))]
pub fn build_column(type_: &Bound<'_, PyAny>, values: &Bound<'_, PyList>) -> PyResult<Column> {
    Ok(Column::new(build(type_, &values.iter().collect::<Vec<_>>())?))
}

fn build(type_: &Bound<'_, PyAny>, values: &[Bound<'_, PyAny>]) -> PyResult<Array> {
    let mut valid = Bits::default();
    let present = |value: &Bound<'_, PyAny>| !value.is_none();
    for value in values {
        valid.push(present(value));
    }
    if let Ok(parts) = type_.cast::<PyTuple>() {
        let inner = parts.get_item(1)?;
        if parts.get_item(0)?.eq("list")? {
            let (mut items, mut offsets) = (Vec::new(), vec![0]);
            for value in values {
                if present(value) {
                    items.extend(value.try_iter()?.collect::<PyResult<Vec<_>>>()?);
                }
                offsets.push(offset(items.len())?);
            }
            let items = Arc::new(build(&inner, &items)?);
            return Ok(Array::new(values.len(), valid, Data::List { offsets, items }));
        }
        let mut fields = Vec::new();
        for (index, field) in inner.try_iter()?.enumerate() {
            let (name, type_): (String, Bound<'_, PyAny>) = field?.extract()?;
            let column =
                values.iter().map(|value| if present(value) { value.get_item(index) } else { Ok(value.clone()) });
            let column = column.collect::<PyResult<Vec<_>>>()?;
            fields.push((CString::new(name)?, Arc::new(build(&type_, &column)?)));
        }
        return Ok(Array::new(values.len(), valid, Data::Struct(fields)));
    }
    let name: String = type_.extract()?;
    let data = match name.as_str() {
        "bool" => {
            let mut bits = Bits::default();
            for value in values {
                bits.push(present(value) && value.extract()?);
            }
            return Ok(bits.into_array(valid));
        }
        "int32" => Data::Int32(numbers(values)?),
        "int64" => Data::Int64(numbers(values)?),
        "float64" => Data::Float64(numbers(values)?),
        "text" => {
            let mut texts = Texts::default();
            for value in values {
                texts.push(value.extract::<Option<String>>()?.as_deref())?;
            }
            return Ok(texts.into_array());
        }
        _ => return Err(PyValueError::new_err(format!("unknown type {name:?}"))),
    };
    Ok(Array::new(values.len(), valid, data))
}

fn numbers<'py, T>(values: &[Bound<'py, PyAny>]) -> PyResult<Vec<T>>
where
    T: for<'a> FromPyObject<'a, 'py, Error = PyErr> + Default,
{
    values.iter().map(|value| if value.is_none() { Ok(T::default()) } else { value.extract() }).collect()
}
