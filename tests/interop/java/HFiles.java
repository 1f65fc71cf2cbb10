import java.io.FileOutputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.apache.hudi.io.compress.CompressionCodec;
import org.apache.hudi.io.hfile.HFileContext;
import org.apache.hudi.io.hfile.HFileWriterImpl;

/** Writes HFiles by Apache Hudi's own writer: FOLDER KEYS, where KEYS has one name, block size, codec and file of keys a line. */
public class HFiles {
  public static void main(String[] arguments) throws Exception {
    for (String line : Files.readAllLines(Path.of(arguments[1]), StandardCharsets.UTF_8)) {
      String[] parts = line.split(" ");
      HFileContext context = HFileContext.builder()
          .blockSize(Integer.parseInt(parts[1]))
          .compressionCodec(CompressionCodec.valueOf(parts[2]))
          .build();
      List<String> keys = Files.readAllLines(Path.of(parts[3]), StandardCharsets.UTF_8);
      try (OutputStream out = new FileOutputStream(Path.of(arguments[0], parts[0]).toFile());
          HFileWriterImpl writer = new HFileWriterImpl(context, out)) {
        for (String key : keys) {
          writer.append(key, ("value of " + key).getBytes(StandardCharsets.UTF_8));
        }
      }
    }
  }
}
