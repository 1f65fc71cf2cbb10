//! Makes, writes and reads tables by hudi-rs. One command a line of the file that is the argument, fields apart by tabs; rows are
//! files of Arrow.

use std::error::Error;
use std::fs::{read_to_string, File};

use arrow_array::RecordBatch;
use arrow_ipc::reader::FileReader;
use arrow_ipc::writer::FileWriter;
use hudi_core::config::table::TableTypeValue;
use hudi_core::table::{ReadOptions, Table};

type Done = Result<(), Box<dyn Error>>;

fn rows(path: &str) -> Result<Vec<RecordBatch>, Box<dyn Error>> {
    Ok(FileReader::try_new(File::open(path)?, None)?.collect::<Result<Vec<_>, _>>()?)
}

/// create PATH cow|mor VERSION PARTITION|- ORDERING|- KEY=VALUE...
async fn create(parts: &[&str]) -> Done {
    let kind = if parts[2] == "mor" { TableTypeValue::MergeOnRead } else { TableTypeValue::CopyOnWrite };
    let mut builder = Table::create(parts[1])
        .with_table_name("t")
        .with_table_type(kind)
        .with_table_version(parts[3].parse()?)
        .with_record_key_fields(["id"]);
    if parts[4] != "-" {
        builder = builder.with_partition_fields([parts[4]]);
    }
    if parts[5] != "-" {
        builder = builder.with_ordering_fields([parts[5]]);
    }
    for option in &parts[6..] {
        let (key, value) = option.split_once('=').ok_or("KEY=VALUE")?;
        builder = builder.with_option(key, value);
    }
    builder.create().await?;
    Ok(())
}

/// read PATH OUTPUT: the rows, without the meta columns' meaning being touched.
async fn read(table: &Table, output: &str) -> Done {
    let batches = table.read(&ReadOptions::new()).await?;
    let schema = match batches.first() {
        Some(batch) => batch.schema(),
        None => table.get_schema_with_meta_fields().await?.into(),
    };
    let mut writer = FileWriter::try_new(File::create(output)?, &schema)?;
    for batch in &batches {
        writer.write(batch)?;
    }
    Ok(writer.finish()?)
}

/// append|upsert|overwrite|overwrite-partitions PATH ROWS; delete PATH FILTER; update PATH FILTER ROW; compact PATH
async fn change(table: &mut Table, parts: &[&str]) -> Done {
    match parts[0] {
        "append" => drop(table.append(rows(parts[2])?).await?),
        "upsert" => drop(table.upsert(rows(parts[2])?).await?),
        "overwrite" => drop(table.overwrite(rows(parts[2])?).await?),
        "overwrite-partitions" => drop(table.dynamic_partition_overwrite(rows(parts[2])?).await?),
        "delete" => drop(table.delete(parts[2]).await?),
        "update" => drop(table.update(parts[2], rows(parts[3])?.remove(0)).await?),
        "compact" => drop(table.compact().await?),
        other => return Err(other.into()),
    }
    Ok(())
}

#[tokio::main]
async fn main() -> Done {
    let commands = std::env::args().nth(1).ok_or("a file of commands")?;
    for line in read_to_string(commands)?.lines() {
        let parts: Vec<&str> = line.split('\t').collect();
        match parts[0] {
            "create" => create(&parts).await?,
            "read" => read(&Table::new(parts[1]).await?, parts[2]).await?,
            _ => change(&mut Table::new(parts[1]).await?, &parts).await?,
        }
    }
    Ok(())
}
